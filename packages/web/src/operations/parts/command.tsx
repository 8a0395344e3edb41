import { useEffect, useState } from 'preact/hooks';
import type { CommandLine } from '../status/commands.ts';

const COPIED_SHOWN_MS = 2_000;

/** A command for the terminal. The page itself changes nothing. */
export function Command({ command: { line, effect } }: { command: CommandLine }) {
  return (
    <div class="command">
      <span class="command-effect">{effect}</span>
      <span class="command-line">
        <code translate={false}>{line}</code>
        <CopyButton text={line} />
      </span>
    </div>
  );
}

export function Commands({ commands }: { commands: CommandLine[] }) {
  return (
    <div class="commands">
      {commands.map((command) => (
        <Command key={command.line} command={command} />
      ))}
    </div>
  );
}

/** Browsers have a clipboard in secure contexts only, such as localhost. */
function CopyButton({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), COPIED_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  if (!isSecureContext) return null;
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => undefined,
    );
  return (
    <button type="button" class="copy" aria-label={`Copy ${text}`} onClick={copy}>
      {isCopied ? 'Copied' : 'Copy'}
    </button>
  );
}
