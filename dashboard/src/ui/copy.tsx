import { useEffect, useState } from 'react';
import { classNames } from './class-names.ts';
import { Icon } from './icon.tsx';

const shownForMs = 1_600;
/** Longer than that it was copied: who reads it has to do something. */
const refusedForMs = 6_000;

type Copied = 'no' | 'copied' | 'refused';

const said: Readonly<Record<Copied, string>> = {
  no: '',
  copied: 'Copied',
  refused: 'Your browser blocked copying. Select the text and copy it.',
};

function useCopying(text: string): { copied: Copied; copy: () => void } {
  const [copied, setCopied] = useState<Copied>('no');
  useEffect(() => {
    if (copied === 'no') return undefined;
    const timer = setTimeout(() => setCopied('no'), copied === 'copied' ? shownForMs : refusedForMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const write = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied('copied');
    } catch {
      // By a setting of the browser, or because the page has not the focus.
      setCopied('refused');
    }
  };
  return { copied, copy: () => void write() };
}

/** Floats over what is below, so that nothing moves. */
function Refused() {
  return (
    <span className="absolute top-full right-0 z-20 mt-1 w-56 rounded-md border border-line bg-raised px-3 py-2 text-left font-sans text-small whitespace-normal text-ink shadow-float">
      {said.refused}
    </span>
  );
}

/** A button that copies; `what` completes "Copy". */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const { copied, copy } = useCopying(text);
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      className="relative z-10 -m-1 inline-grid size-7 place-items-center rounded-sm text-muted hover:bg-hover hover:text-ink"
    >
      <Icon name={copied === 'copied' ? 'check' : copied === 'refused' ? 'cross' : 'copy'} size={14} />
      {copied === 'refused' && <Refused />}
      <span role="status" className="sr-only">
        {said[copied]}
      </span>
    </button>
  );
}

/** An id, short, with the whole of it on a click. */
export function ShortId({ id, what = 'id' }: { id: string; what?: string }) {
  const { copied, copy } = useCopying(id);
  return (
    <button
      type="button"
      onClick={copy}
      title={`${id}: click to copy`}
      // It begins with what is seen: who speaks to a browser says that.
      aria-label={`…${id.slice(-6)}, copy ${what}`}
      className={classNames(
        'relative z-10 -mx-1 rounded-sm px-1 font-mono text-small hover:bg-hover',
        copied === 'copied' ? 'text-completed' : 'text-muted',
      )}
    >
      {copied === 'copied' ? 'Copied' : `…${id.slice(-6)}`}
      {copied === 'refused' && <Refused />}
    </button>
  );
}
