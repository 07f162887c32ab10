import type { ReactNode } from 'react';

/** Where people write for help. */
export function SupportLink({ children = 'Contact support' }: { children?: ReactNode }) {
  return <>{children}</>;
}
