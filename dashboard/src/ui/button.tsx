import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Link, type LinkProps } from 'react-router';
import { classNames } from './class-names.ts';

type Kind = 'primary' | 'secondary' | 'quiet' | 'danger';

const shape =
  'inline-flex h-9 items-center justify-center gap-2 rounded-md px-3.5 font-medium whitespace-nowrap transition-colors select-none';

const kinds: Readonly<Record<Kind, string>> = {
  primary: 'bg-tide text-on-tide hover:bg-tide-hover',
  secondary: 'border border-line bg-surface text-ink hover:bg-hover',
  quiet: 'text-muted hover:bg-hover hover:text-ink',
  danger: 'border border-failed/40 bg-surface text-failed hover:bg-failed-wash',
};

interface CommonProps {
  kind?: Kind;
  children: ReactNode;
}

interface ButtonProps extends CommonProps, Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  /** While it works it stays where it is, says so, and does nothing a second time. */
  isWorking?: boolean;
}

export function Button({ kind = 'secondary', isWorking = false, className, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={isWorking || undefined}
      aria-busy={isWorking || undefined}
      onClick={isWorking ? (event) => event.preventDefault() : onClick}
      className={classNames(
        shape,
        kinds[kind],
        'disabled:cursor-not-allowed disabled:border-transparent disabled:bg-line disabled:text-muted',
        isWorking && 'cursor-progress opacity-70',
        className,
      )}
    >
      {children}
    </button>
  );
}

export function ButtonLink({ kind = 'secondary', children, className, ...rest }: CommonProps & LinkProps) {
  return (
    <Link {...rest} className={classNames(shape, kinds[kind], className)}>
      {children}
    </Link>
  );
}

/** To a place that is not a page of ours. */
export function ButtonAnchor({ kind = 'secondary', href, children }: CommonProps & { href: string }) {
  return (
    <a href={href} rel="noreferrer" className={classNames(shape, kinds[kind])}>
      {children}
    </a>
  );
}

/** For a link that looks like a button. */
export function buttonClassName(kind: Kind): string {
  return classNames(shape, kinds[kind]);
}
