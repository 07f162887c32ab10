import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { DialogActions } from '../../ui/dialog.tsx';

interface SecretProps {
  secret: string;
  note: string;
  /** What else to know of the key, in sentences. */
  children?: ReactNode;
  onDone: () => void;
}

/** The only place where the whole secret is ever shown. */
export function Secret({ secret, note, children, onDone }: SecretProps) {
  return (
    <>
      <p>{note}</p>
      <p className="flex items-start justify-between gap-3 rounded-md border border-line-strong bg-sunken px-3 py-2.5">
        <code data-testid="secret" className="min-w-0 font-mono text-small break-all">
          {secret}
        </code>
        <CopyButton text={secret} what="key" />
      </p>
      {children}
      <DialogActions>
        <Button kind="primary" onClick={onDone}>
          I copied the key
        </Button>
      </DialogActions>
    </>
  );
}
