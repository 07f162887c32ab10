import { useEffect, useRef, type ReactNode, type RefObject } from 'react';
import { useLocation } from 'react-router';
import { useEnvironment } from '../data/environment.ts';

interface PageProps {
  title: string;
  /** Shown in place of the title, where a page has more to say there. */
  heading?: ReactNode;
  lead?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}

/** The first page that the browser loaded; undefined once the person has moved on from it. */
let firstPage: string | undefined = '';

/**
 * Names the browser's tab, and moves the focus to the heading of a new page or step: what had it before is gone. Not on the
 * first page, where Tab has to start at the skip link, and not where a field of the page has taken the focus already.
 */
function useArrival(title: string): RefObject<HTMLHeadingElement | null> {
  const environment = useEnvironment();
  const { key } = useLocation();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${environment === 'sandbox' ? 'Sandbox' : 'Live'} · Kelpie`;
    const here = `${key} ${title}`;
    // A page is mounted again once it has loaded what it shows: that is still the first page.
    if (firstPage === '') firstPage = here;
    if (firstPage === here) return;
    firstPage = undefined;
    const isWithin = heading.current?.closest('main')?.contains(document.activeElement) === true;
    if (!isWithin) heading.current?.focus({ preventScroll: true });
  }, [title, environment, key]);
  return heading;
}

/** A page has one title and at most one primary action. */
export function Page({ title, heading, lead, action, children }: PageProps) {
  const heading1 = useArrival(title);
  return (
    <div className="mx-auto grid w-full max-w-content min-w-0 gap-6 px-4 py-6 sm:px-8 sm:py-8">
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="grid min-w-0 gap-1">
          <h1 ref={heading1} tabIndex={-1} className="text-title font-semibold tracking-[-0.01em] outline-none">
            {heading ?? title}
          </h1>
          {lead !== undefined && <p className="max-w-[72ch] text-pretty text-muted">{lead}</p>}
        </div>
        {action}
      </header>
      {children}
    </div>
  );
}

interface SectionProps {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}

export function Section({ title, aside, children }: SectionProps) {
  return (
    <section className="grid min-w-0 content-start gap-3">
      <div className="flex min-h-7 flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h2 className="font-semibold">{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
