import { CopyButton } from './copy.tsx';

/** Text of a program. Long lines scroll, so the box can be reached by keyboard. `what` completes "Copy". */
export function CodeBlock({ text, what }: { text: string; what: string }) {
  return (
    <div className="relative min-w-0 rounded-lg border border-line bg-surface">
      <span className="absolute top-2.5 right-3">
        <CopyButton text={text} what={what} />
      </span>
      <pre
        tabIndex={0}
        aria-label={what}
        className="max-h-[32rem] overflow-auto p-4 pr-12 font-mono text-small leading-5"
      >
        {text}
      </pre>
    </div>
  );
}
