import type { PayoutHistory } from '@kelpie/sdk';
import { formatPlain, formatPounds } from '../../format/money.ts';
import { Empty } from '../../ui/empty.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Section } from '../../ui/page.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { lineLabel } from './ledger-labels.ts';

type LedgerLine = PayoutHistory['ledger'][number];

function formatAmount({ amount, currency, direction }: LedgerLine): string {
  return `${direction === 'out' ? '−' : '+'}${currency === 'GBP' ? formatPounds(amount) : `${formatPlain(amount)} USDC`}`;
}

/** Lines are only ever added, at the end; two of one transfer can be alike in all they say, but for their number. */
function numbered(ledger: readonly LedgerLine[]): (LedgerLine & { number: number })[] {
  return ledger.map((line, before) => ({ ...line, number: before + 1 }));
}

/** What the payout did to the partner's own money, line by line. */
export function LedgerLines({ history }: { history: PayoutHistory }) {
  return (
    <Section title="Ledger">
      {history.ledger.length === 0 ? (
        <Empty title="This payout did not touch your wallet" />
      ) : (
        <Table
          label="Ledger"
          columns={[
            { title: 'What' },
            { title: 'Amount', isAmount: true, className: 'max-sm:pr-0' },
            { title: 'Wallet after', isAmount: true, className: 'max-sm:hidden' },
          ]}
        >
          {numbered(history.ledger).map((line) => (
            <Row key={line.number}>
              <Cell>
                <div className="grid gap-0.5">
                  <span>{lineLabel(line)}</span>
                  <span className="text-small text-muted">
                    <Timestamp at={line.at} to="second" />
                  </span>
                </div>
              </Cell>
              <Cell isAmount className="max-sm:pr-0">
                {formatAmount(line)}
              </Cell>
              <Cell isAmount className="max-sm:hidden text-muted">
                {line.wallet_after_usdc === null ? '' : formatPlain(line.wallet_after_usdc)}
              </Cell>
            </Row>
          ))}
        </Table>
      )}
    </Section>
  );
}
