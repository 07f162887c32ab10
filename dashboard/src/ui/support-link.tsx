import { useContext, type ReactNode } from 'react';
import { SessionContext } from '../data/session.ts';

/** Before sign-in the address is not known, and the words stand without a link. */
export function SupportLink({ children = 'Contact support' }: { children?: ReactNode }) {
  const email = useContext(SessionContext)?.support_email;
  if (email === undefined) return <>{children}</>;
  return (
    <a href={`mailto:${email}`} title={email} className="font-medium text-tide underline underline-offset-2">
      {children}
    </a>
  );
}
