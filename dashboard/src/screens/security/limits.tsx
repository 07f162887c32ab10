import type { Limits as LimitsShown } from '@kelpie/sdk';
import { useEnvironment } from '../../data/environment.ts';
import { useKeys, useLimits } from '../../data/reads.ts';
import { useIsAdmin } from '../../data/session.ts';
import { formatPounds } from '../../format/money.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { ChangeLimits } from './change-limits.tsx';

/** How much can be paid today in this environment. */
export function Limits() {
  const environment = useEnvironment();
  const isAdmin = useIsAdmin();
  const { data, error, refetch } = useLimits();
  return (
    <Section
      title={`Payment limits, ${environment}`}
      aside={isAdmin && data !== undefined && <ChangeLimits limits={data} />}
    >
      {error !== null && data === undefined && (
        <Problem error={error} title="Limits could not be loaded." onRetry={() => void refetch()} />
      )}
      {data === undefined ? error === null && <Rows count={4} /> : <LimitFacts limits={data} />}
    </Section>
  );
}

const noLimit = 'No limit';

function amountOr(amount: string | null): string {
  return amount === null ? noLimit : formatPounds(amount);
}

function LimitFacts({ limits }: { limits: LimitsShown }) {
  const { daily, new_payee: newPayee } = limits;
  return (
    <div className="grid gap-6">
      <Facts>
        <Fact name="Daily limit">{amountOr(daily.limit_gbp)}</Fact>
        <Fact name="Paid today">
          <span className="figures">{formatPounds(daily.spent_gbp)}</span>
        </Fact>
        {daily.left_gbp !== null && (
          <Fact name="Left today">
            <strong className="figures font-semibold">{formatPounds(daily.left_gbp)}</strong>
          </Fact>
        )}
        <Fact name="Resets">
          <Timestamp at={daily.resets_at} />
        </Fact>
        <Fact name="Daily limit for new recipients">{amountOr(newPayee.limit_gbp)}</Fact>
      </Facts>
      <KeyLimits limits={limits} />
    </div>
  );
}

const columns = [
  { title: 'API key' },
  { title: 'Daily limit', isAmount: true },
  { title: 'Paid today', isAmount: true, className: 'max-sm:hidden' },
  { title: 'Left today', isAmount: true },
];

/** Only keys with a limit of their own. */
function KeyLimits({ limits }: { limits: LimitsShown }) {
  const labels = new Map(useKeys().data?.map(({ id, label }) => [id, label]));
  const limited = limits.keys.filter(({ limit_gbp: limit }) => limit !== null);
  if (limited.length === 0) return null;
  return (
    <Table label="Limits of API keys" columns={columns}>
      {limited.map((key) => (
        <Row key={key.id}>
          <Cell className="max-w-0 w-full sm:w-1/2">
            <div className="grid min-w-0 gap-0.5">
              <span className="truncate font-medium">{labels.get(key.id) ?? 'No label'}</span>
              <code className="truncate font-mono text-small text-muted">{key.key_prefix}…</code>
              {key.full_limit_at !== null && (
                <span className="text-small text-muted">
                  Full limit from <Timestamp at={key.full_limit_at} />
                </span>
              )}
            </div>
          </Cell>
          <Cell isAmount>{amountOr(key.limit_gbp)}</Cell>
          <Cell isAmount className="max-sm:hidden">
            {formatPounds(key.spent_gbp)}
          </Cell>
          <Cell isAmount>{amountOr(key.left_gbp)}</Cell>
        </Row>
      ))}
    </Table>
  );
}
