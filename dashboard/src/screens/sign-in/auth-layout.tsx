import { useEffect, type ReactNode } from 'react';
import { Wordmark } from '../../ui/logo.tsx';

/** The frame of the pages before sign-in. */
export function AuthLayout({ title, lead, children }: { title: string; lead: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Kelpie`;
  }, [title]);
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <div className="grid w-full max-w-card gap-6">
        <Wordmark />
        <div className="grid gap-1">
          <h1 className="text-title font-semibold tracking-[-0.01em]">{title}</h1>
          <p className="text-muted">{lead}</p>
        </div>
        {children}
      </div>
    </main>
  );
}
