import type { Session } from '@kelpie/sdk';
import { Suspense, useEffect, useState } from 'react';
import { Navigate, Outlet, useLocation, useParams } from 'react-router';
import { environmentFrom, EnvironmentContext, useEnvironment } from '../data/environment.ts';
import type { Environment } from '../data/kelpie.ts';
import { useAccount } from '../data/reads.ts';
import { SessionContext, useFoundSession, useSession } from '../data/session.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { Icon } from '../ui/icon.tsx';
import { Logo, Wordmark } from '../ui/logo.tsx';
import { Problem } from '../ui/problem.tsx';
import { SupportLink } from '../ui/support-link.tsx';
import { Announcer } from './announcer.tsx';
import { rememberEnvironment } from './environment-memory.ts';
import { LiveNotOpen } from './live-not-open.tsx';
import { Navigation } from './navigation.tsx';
import { OldFigures } from './old-figures.tsx';
import { PageFailure } from './page-failure.tsx';
import { PageSkeleton } from './page-skeleton.tsx';

/** Who is signed in, in which environment: nothing below it is shown before both are known. */
export function Shell() {
  const environment = environmentFrom(useParams()['environment']);
  const { pathname, search } = useLocation();
  const session = useFoundSession();
  const changed = useChangeElsewhere(session.data);
  useEffect(() => {
    if (environment !== undefined) rememberEnvironment(environment);
  }, [environment]);
  if (environment === undefined) return <Navigate replace to="/" />;
  if (session.data === null) {
    return <Navigate replace to={`/sign-in?${new URLSearchParams({ next: pathname + search }).toString()}`} />;
  }
  if (session.isError && session.data === undefined) {
    return (
      <main className="mx-auto max-w-form p-6">
        <Problem
          error={session.error}
          title="The dashboard could not be loaded."
          onRetry={() => void session.refetch()}
        />
      </main>
    );
  }
  if (session.data === undefined) return <Frame environment={environment} isLoading />;
  return (
    <SessionContext value={session.data}>
      <EnvironmentContext value={environment}>
        {/* Remounted for each person, account and environment, so that nothing of one is seen in the other. */}
        <Frame
          key={`${session.data.email} ${session.data.account.id} ${environment}`}
          environment={environment}
          account={session.data.account.name}
          changed={changed}
          isClosed={environment === 'live' && !session.data.account.has_live}
        />
      </EnvironmentContext>
    </SessionContext>
  );
}

interface ChangeElsewhere {
  /** Undefined where there was none. */
  message: string | undefined;
  forget: () => void;
}

/** Why the page was remounted: in another tab, the person switched accounts or someone else signed in. */
function useChangeElsewhere(session: Session | null | undefined): ChangeElsewhere {
  // Switching accounts in this tab leaves the page, so this state starts again then.
  const [known, setKnown] = useState<Session>();
  const [changed, setChanged] = useState<string>();
  if (session !== null && session !== undefined && known !== session) {
    setKnown(session);
    const { account, email } = session;
    if (known !== undefined && known.email !== email) setChanged(`${email} signed in to ${account.name}`);
    else if (known !== undefined && known.account.id !== account.id) setChanged(`You switched to ${account.name}`);
  }
  return { message: changed, forget: () => setChanged(undefined) };
}

/** A new page begins at its top. */
function beginAtTop(_pathname: string): void {
  window.scrollTo(0, 0);
}

/** What must be seen in live before it is open: how it is opened, and who may do so. */
const shownWithoutLive = /^\/live\/(compliance|team|security|settings|activity|developers)$/;

interface FrameProps {
  environment: Environment;
  /** Its name, once it is known. */
  account?: string;
  changed?: ChangeElsewhere;
  isLoading?: boolean;
  isClosed?: boolean;
}

function Frame({ environment, account, changed, isLoading = false, isClosed = false }: FrameProps) {
  const { pathname } = useLocation();
  // A menu that was opened on one page is closed on the next.
  const [menuOpenAt, setMenuOpenAt] = useState<string>();
  const isMenuOpen = menuOpenAt === pathname;
  useEffect(() => beginAtTop(pathname), [pathname]);
  const isShown = !isClosed || shownWithoutLive.test(pathname);
  return (
    <div
      className={classNames('flex min-h-dvh flex-col', environment === 'sandbox' ? '[--band:2rem]' : '[--band:0px]')}
    >
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-tide focus:px-3 focus:py-2 focus:text-on-tide"
      >
        Skip to content
      </a>
      <Announcer />
      {environment === 'sandbox' && <SandboxBand />}
      <div className="flex min-w-0 flex-1 flex-col md:flex-row">
        <TopLine
          environment={environment}
          account={account}
          isMenuOpen={isMenuOpen}
          onMenu={() => setMenuOpenAt(isMenuOpen ? undefined : pathname)}
        />
        {isLoading ? (
          <aside className="w-60 shrink-0 border-r border-line max-md:hidden" />
        ) : (
          <Navigation isOpen={isMenuOpen} />
        )}
        <main id="content" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
          <OldFigures />
          {!isLoading && <NotOpen />}
          {changed?.message !== undefined && <ChangedElsewhere message={changed.message} onClose={changed.forget} />}
          {isLoading ? (
            <PageSkeleton />
          ) : (
            <PageFailure path={pathname}>
              <Suspense fallback={<PageSkeleton />}>{isShown ? <Outlet /> : <LiveNotOpen />}</Suspense>
            </PageFailure>
          )}
          <p className="mx-auto mt-auto w-full max-w-content px-4 pb-6 text-small text-muted sm:px-8">
            All times are London time.
          </p>
        </main>
      </div>
    </div>
  );
}

interface TopLineProps {
  environment: Environment;
  account: string | undefined;
  isMenuOpen: boolean;
  onMenu: () => void;
}

/** On a phone: whose money it is, in which environment, and the way to the rest. */
function TopLine({ environment, account, isMenuOpen, onMenu }: TopLineProps) {
  return (
    <header className="sticky top-(--band) z-20 flex h-14 items-center justify-between border-b border-line bg-ground px-4 md:hidden">
      <span className="flex min-w-0 items-center gap-2.5">
        {account === undefined ? <Wordmark /> : <Logo size={26} />}
        <span className="truncate font-medium">{account}</span>
        {environment === 'live' && (
          <span className="rounded-sm bg-ink px-1.5 text-small font-semibold text-ground">Live</span>
        )}
      </span>
      <Button kind="quiet" aria-expanded={isMenuOpen} aria-controls="menu" onClick={onMenu}>
        <Icon name={isMenuOpen ? 'cross' : 'menu'} />
        Menu
      </Button>
    </header>
  );
}

/** Why no payout can be sent. */
function NotOpen() {
  const { status, has_live: hasLive } = useSession().account;
  const isLive = useEnvironment() === 'live';
  if (status !== 'suspended' && status !== 'closed') return isLive && hasLive ? <Frozen /> : null;
  return (
    <p role="status" className="border-b border-line bg-failed-wash px-4 py-2.5 font-medium text-failed sm:px-8">
      This account is {status}. You can view it, but you can't send payouts. <SupportLink />.
    </p>
  );
}

function Frozen() {
  const { data } = useAccount();
  if (data?.is_frozen !== true) return null;
  return (
    <p role="status" className="border-b border-line bg-failed-wash px-4 py-2.5 font-medium text-failed sm:px-8">
      Live payouts are frozen. Check who has access, then <SupportLink>contact support</SupportLink> to allow payouts
      again.
    </p>
  );
}

/** What was being written here is gone, so it says why. */
function ChangedElsewhere({ message, onClose }: { message: string; onClose: () => void }) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line bg-tide-wash px-4 py-2 sm:px-8"
    >
      <p>
        <strong className="font-medium">{message} in another tab.</strong> This page now shows that account.
      </p>
      <Button kind="quiet" className="-mx-3.5" onClick={onClose}>
        Close
      </Button>
    </div>
  );
}

function SandboxBand() {
  return (
    <section
      aria-label="Environment"
      className="sticky top-0 z-30 flex h-8 items-center justify-center gap-2 bg-sandbox px-4 text-small font-medium text-on-sandbox"
    >
      <p>Sandbox: no real money moves</p>
    </section>
  );
}
