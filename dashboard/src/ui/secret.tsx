import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { DialogActions } from './dialog.tsx';

interface SecretProps {
  secret: string;
  /** What it is called on the buttons. */
  what: 'key' | 'secret';
  note: string;
  /** What else to know of it, in sentences. */
  children?: ReactNode;
  onDone: () => void;
}

/** The only place where the whole secret is ever shown. */
export function Secret({ secret, what, note, children, onDone }: SecretProps) {
  return (
    <>
      <p>{note}</p>
      <p className="flex items-start justify-between gap-3 rounded-md border border-line-strong bg-sunken px-3 py-2.5">
        <code data-testid="secret" className="min-w-0 font-mono text-small break-all">
          {secret}
        </code>
        <CopyButton text={secret} what={what} />
      </p>
      {children}
      <DialogActions>
        <Button kind="primary" onClick={onDone}>
          I copied the {what}
        </Button>
      </DialogActions>
    </>
  );
}
