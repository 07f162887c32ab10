import { useSession } from '../data/session.ts';

export const personClassName = 'flex w-full items-center gap-2.5 rounded-md px-2 py-1.5 text-left';

/** Who is signed in, and as what. */
export function Person() {
  const { email, name, role } = useSession();
  return (
    <>
      <span
        aria-hidden="true"
        className="grid size-7 shrink-0 place-items-center rounded-full bg-tide-wash text-small font-semibold text-tide"
      >
        {(name ?? email).slice(0, 1).toUpperCase()}
      </span>
      <span className="grid min-w-0">
        <span className="truncate">{name ?? email}</span>
        <span className="text-small text-muted">{role === 'admin' ? 'Admin' : 'Viewer (read-only)'}</span>
      </span>
    </>
  );
}

/** The same, before its menu is there. */
export function PersonLine() {
  return (
    <div className={personClassName}>
      <Person />
    </div>
  );
}
