import type { PayoutHistory } from '@kelpie/sdk';
import { formatPounds, formatUsdc } from '../../format/money.ts';
import { Empty } from '../../ui/empty.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Section } from '../../ui/page.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { lineLabel } from './ledger-labels.ts';

type LedgerLine = PayoutHistory['ledger'][number];

function formatAmount({ amount, currency, direction }: LedgerLine): string {
  return `${direction === 'out' ? '−' : '+'}${currency === 'GBP' ? formatPounds(amount) : formatUsdc(amount)}`;
}

/** Two lines of one transfer can be identical, and lines are only appended, so their number is their key. */
function numbered(ledger: readonly LedgerLine[]): (LedgerLine & { number: number })[] {
  return ledger.map((line, before) => ({ ...line, number: before + 1 }));
}

/** What the payout moved, entry by entry. */
export function LedgerLines({ history }: { history: PayoutHistory }) {
  return (
    <Section title="Ledger">
      {history.ledger.length === 0 ? (
        <Empty title="This payout did not move any money" />
      ) : (
        <Table
          label="Ledger"
          columns={[
            { title: 'Entry' },
            { title: 'Amount', isAmount: true, className: 'max-sm:pr-0' },
            { title: 'Wallet balance', isAmount: true, className: 'max-sm:hidden' },
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
                {line.wallet_after_usdc === null ? '' : formatUsdc(line.wallet_after_usdc)}
              </Cell>
            </Row>
          ))}
        </Table>
      )}
    </Section>
  );
}
