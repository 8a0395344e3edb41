import { createStore, useStore } from '../../shared/store.ts';
import { nameAmong } from './name-among.ts';

/** The address contains the ids of creators only: their names are known once a list or a facet has shown them. */
const names = createStore<ReadonlyMap<number, string>>(new Map());

type Creator = { creatorId: number; creatorName: string };

export function learnNames(creators: Creator[]): void {
  names.set(new Map([...names.get(), ...creators.map(({ creatorId, creatorName }) => [creatorId, creatorName] as const)]));
}

/** @returns the name of a creator, or `otherwise` as long as it is not known */
export function useCreatorNames(): (id: number, otherwise: string) => string {
  const known = useStore(names);
  return (id, otherwise) => nameAmong(known, id) ?? otherwise;
}
