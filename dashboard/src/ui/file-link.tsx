import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { fetchFile } from '../data/file.ts';
import { useSession } from '../data/session.ts';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';
import { Dialog, DialogActions } from './dialog.tsx';
import { Problem } from './problem.tsx';
import { save } from './save-file.ts';

interface FileLinkProps {
  href: string;
  className: string;
  label?: string;
  children: ReactNode;
}

/** A download. The page fetches it first, because a plain link would save an error response as the file. */
export function FileLink({ href, className, label, children }: FileLinkProps) {
  const { account } = useSession();
  const getting = useMutation({
    mutationFn: async () => fetchFile(href, account.id),
    onSuccess: ({ name, content }) => save(name, content),
  });
  return (
    <>
      <a
        href={href}
        download=""
        aria-label={label}
        aria-busy={getting.isPending || undefined}
        onClick={(event) => {
          event.preventDefault();
          if (!getting.isPending) getting.mutate();
        }}
        className={classNames(className, getting.isPending && 'cursor-progress opacity-70')}
      >
        {children}
      </a>
      <Dialog title="Download" isOpen={getting.isError} onClose={() => getting.reset()}>
        <Problem error={getting.error} title="The file could not be downloaded." onRetry={() => getting.mutate()} />
        <DialogActions>
          <Button onClick={() => getting.reset()}>Close</Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
