import { isResponse, takePending, withoutResponse, type Returned } from './pending.ts';

/** The response of the provider with which the page was opened. The document runs this before the script of the page. */
export const returned = takeReturned();

/** Takes it out of the address, so that neither the history nor a shared link has its code. */
function takeReturned(): Returned | undefined {
  const parameters = new URLSearchParams(location.search);
  if (!isResponse(parameters)) return undefined;
  const taken = takePending();
  const pending = taken?.state === parameters.get('state') ? taken : undefined;
  history.replaceState(pending?.entry, '', location.pathname + (pending?.view ?? withoutResponse(location.search)));
  // The clock may have been set since `performance.timeOrigin`.
  return { parameters, pending, navigatedMs: Date.now() - performance.now() };
}
