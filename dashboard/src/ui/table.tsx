import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { classNames } from './class-names.ts';

interface Column {
  title: string;
  /** Amounts stand at the right. */
  isAmount?: boolean;
  /** Said to who listens, not shown. */
  isHidden?: boolean;
  className?: string;
}

interface TableProps {
  label: string;
  columns: readonly Column[];
  children: ReactNode;
  /** Shows figures of before, while newer ones are on their way. */
  isStale?: boolean;
}

/** Wide screens show every column; a page hides some of them on a phone by `className`. */
export function Table({ label, columns, children, isStale = false }: TableProps) {
  return (
    // As wide as the page's text; what marks a row reaches a little further on both sides.
    <div className={classNames('-mx-2 min-w-0 overflow-x-auto px-2', isStale && 'opacity-60')}>
      <table aria-label={label} aria-busy={isStale} className="w-full border-collapse text-left">
        <thead>
          <tr className="border-b border-line text-small text-muted">
            {columns.map(({ title, isAmount, isHidden, className }) => (
              <th
                key={title}
                scope="col"
                className={classNames(
                  'h-9 px-2 font-medium whitespace-nowrap first:pl-0 last:pr-0',
                  isAmount && 'text-right',
                  className,
                )}
              >
                {isHidden === true ? <span className="sr-only">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** A row of 44 px. */
export function Row({ children, isLink = false }: { children: ReactNode; isLink?: boolean }) {
  return (
    <tr
      className={classNames(
        'relative h-11 border-b border-line',
        isLink &&
          'hover:bg-hover hover:shadow-[-8px_0_0_var(--color-hover),8px_0_0_var(--color-hover)] focus-within:bg-hover',
      )}
    >
      {children}
    </tr>
  );
}

interface CellProps {
  children?: ReactNode;
  isAmount?: boolean;
  className?: string;
}

export function Cell({ children, isAmount = false, className }: CellProps) {
  return (
    <td className={classNames('px-2 py-2 first:pl-0 last:pr-0', isAmount && 'figures text-right', className)}>
      {children}
    </td>
  );
}

/** The one link of a row, which covers the whole row. */
export function RowLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link
      to={to}
      className="font-medium outline-none after:absolute after:-inset-x-2 after:inset-y-0 focus-visible:after:rounded-sm focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-tide"
    >
      {children}
    </Link>
  );
}
