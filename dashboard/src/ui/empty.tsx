import type { ReactNode } from 'react';

/** What will be here, and the one next step. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="grid justify-items-center gap-2 rounded-lg border border-dashed border-line px-6 py-12 text-center">
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="max-w-[52ch] [text-wrap:balance] text-muted">{children}</div>}
      {action !== undefined && <div className="pt-2">{action}</div>}
    </div>
  );
}
