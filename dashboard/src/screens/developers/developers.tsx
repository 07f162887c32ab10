import { useState } from 'react';
import { Link } from 'react-router';
import { useAddress, useEnvironment } from '../../data/environment.ts';
import { useKeys } from '../../data/reads.ts';
import { useIsAdmin } from '../../data/session.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Line } from '../../ui/skeleton.tsx';
import { BankAnswers } from './bank-answers.tsx';
import { snippets } from './snippets.ts';

export function Screen() {
  const environment = useEnvironment();
  const address = useAddress();
  const isAdmin = useIsAdmin();
  const keys = useKeys();
  const key = keys.data?.find((each) => each.environment === environment && each.revoked_at === null);
  const prefix = key?.key_prefix ?? `kp_${environment}_`;
  return (
    <Page title="Developers" lead="One API for both environments. Your key selects the environment.">
      <div className="grid gap-x-12 gap-y-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="grid min-w-0 content-start gap-8">
          <Section title="First payout">
            <p className="text-muted">
              {keys.data === undefined ? (
                keys.isError ? (
                  'Your keys could not be loaded. Replace the dots with your key.'
                ) : (
                  <Line width="w-80 max-w-full" />
                )
              ) : key === undefined ? (
                <>
                  You have no {environment} key yet.{' '}
                  <Link to={address('/keys')} className="text-tide underline underline-offset-2">
                    Create a key
                  </Link>
                  , then replace the dots with it.
                </>
              ) : (
                <>
                  The example has the prefix of your key{key.label === null ? '' : ` "${key.label}"`}. Replace the dots
                  with the rest. We showed the whole key once, when it was created.
                </>
              )}
            </p>
            <Snippets url={location.origin} prefix={prefix} />
          </Section>
          {environment === 'sandbox' && isAdmin && <BankAnswers />}
        </div>
        <Reference />
      </div>
    </Page>
  );
}

function Snippets({ url, prefix }: { url: string; prefix: string }) {
  const all = snippets(url, prefix);
  const [shown, setShown] = useState(all[0]?.title);
  const snippet = all.find(({ title }) => title === shown) ?? all[0];
  if (snippet === undefined) return null;
  return (
    <div className="min-w-0 rounded-lg border border-line bg-surface">
      <div className="flex items-center justify-between border-b border-line px-3">
        <div role="group" aria-label="Language" className="flex">
          {all.map(({ title }) => (
            <button
              key={title}
              type="button"
              aria-pressed={title === snippet.title}
              onClick={() => setShown(title)}
              className={classNames(
                'h-10 border-b-2 px-2.5 text-small',
                title === snippet.title
                  ? 'border-tide font-medium text-ink'
                  : 'border-transparent text-muted hover:text-ink',
              )}
            >
              {title}
            </button>
          ))}
        </div>
        <CopyButton text={snippet.code} what={`the ${snippet.title} example`} />
      </div>
      {/* Long lines scroll, so the box can be reached by keyboard. */}
      <pre
        tabIndex={0}
        aria-label={`Example in ${snippet.title}`}
        className="overflow-x-auto p-4 font-mono text-small leading-5"
      >
        {snippet.code}
      </pre>
    </div>
  );
}

function Reference() {
  return (
    <Section title="Reference">
      <Facts>
        <Fact name="Base URL">
          <code className="font-mono text-small break-all">{location.origin}</code>
        </Fact>
        <Fact name="Docs">
          <a href="/docs" className="inline-flex items-center gap-1 text-tide underline underline-offset-2">
            Quickstart, guides and API reference
            <Icon name="external" size={13} />
          </a>
        </Fact>
        <Fact name="OpenAPI">
          <a href="/v1/openapi.json" className="text-tide underline underline-offset-2">
            openapi.json
          </a>
        </Fact>
        <Fact name="Test a failure">
          <span>
            Sandbox account number ending <code className="font-mono text-small">0000</code>
          </span>
        </Fact>
        <Fact name="Request limit">100 per second per key</Fact>
        <Fact name="Payout limit">25 per second per key</Fact>
      </Facts>
      <p className="text-small text-muted">
        If you are not sure whether a payout was created, repeat it with the same Idempotency-Key. The recipient is
        never paid twice.
      </p>
    </Section>
  );
}
