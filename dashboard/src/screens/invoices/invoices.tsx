import type { Invoice } from '@kelpie/sdk';
import { useAddress, useEnvironment } from '../../data/environment.ts';
import { useInvoices } from '../../data/reads.ts';
import { invoiceStatusLabels } from '../../format/invoice-labels.ts';
import { formatPounds } from '../../format/money.ts';
import { formatMonth } from '../../format/time.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { FileLink } from '../../ui/file-link.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Marked } from '../../ui/status.tsx';
import { Cell, Row, RowLink, Table } from '../../ui/table.tsx';

const columns = [
  { title: 'Month' },
  { title: 'Invoice number', className: 'max-md:hidden' },
  { title: 'Status', className: 'max-sm:hidden' },
  { title: 'Due date', className: 'max-sm:hidden' },
  { title: 'Total', isAmount: true },
  { title: 'PDF', isHidden: true, className: 'w-16' },
];

export function Screen() {
  const environment = useEnvironment();
  const address = useAddress();
  const invoices = useInvoices();
  const { data, error } = invoices;
  return (
    <Page
      title="Invoices"
      lead="We issue one invoice a month, on the 1st for the month before. It is due 14 days later."
    >
      {environment === 'sandbox' && (
        <p className="text-muted">Sandbox payouts are free. These invoices are for live payouts.</p>
      )}
      {error !== null && data === undefined && (
        <Problem error={error} title="Invoices could not be loaded." onRetry={() => void invoices.refetch()} />
      )}
      {invoices.isPending && <Rows count={3} />}
      {data?.length === 0 && (
        <Empty title="No invoices yet" action={<ButtonLink to={address('/usage')}>View this month's fees</ButtonLink>}>
          We issue your first invoice on the 1st after your first month in live. You can download each invoice as PDF
          and its items as CSV.
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <Table label="Invoices" columns={columns}>
          {data.map((invoice) => (
            <InvoiceRow key={invoice.id} invoice={invoice} />
          ))}
        </Table>
      )}
    </Page>
  );
}

function InvoiceRow({ invoice }: { invoice: Invoice }) {
  const address = useAddress();
  const { id, number, period, total_gbp: total, due_at: dueAt } = invoice;
  const { label, mark } = invoiceStatusLabels(invoice);
  return (
    <Row isLink>
      <Cell className="max-sm:w-full">
        <div className="grid gap-0.5">
          <RowLink to={address(`/invoices/${id}`)}>{formatMonth(period)}</RowLink>
          <span className="text-small sm:hidden">
            <Marked mark={mark}>{label}</Marked>
          </span>
        </div>
      </Cell>
      <Cell className="max-md:hidden figures text-muted">{number}</Cell>
      <Cell className="max-sm:hidden">
        <Marked mark={mark}>{label}</Marked>
      </Cell>
      <Cell className="max-sm:hidden text-muted">{dueAt !== null && <Timestamp at={dueAt} to="date" />}</Cell>
      <Cell isAmount className="font-medium">
        {formatPounds(total)}
      </Cell>
      <Cell className="text-right">
        <FileLink
          href={`/v1/invoices/${id}.pdf`}
          label={`Download the invoice for ${formatMonth(period)} as PDF`}
          className="relative z-10 -my-1 -mr-2 inline-flex h-8 items-center gap-1.5 rounded-md px-2 text-tide hover:bg-tide-wash"
        >
          <Icon name="download" size={14} />
          PDF
        </FileLink>
      </Cell>
    </Row>
  );
}
