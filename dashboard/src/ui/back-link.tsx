import { Link } from 'react-router';
import { Icon } from './icon.tsx';

/** Above the heading of a page that shows one of many. */
export function BackLink({ to, children }: { to: string; children: string }) {
  return (
    <Link
      to={to}
      className="flex w-fit items-center gap-1 text-body font-normal tracking-normal text-muted hover:text-ink"
    >
      <Icon name="left" size={13} />
      {children}
    </Link>
  );
}
