import type { Invoice } from '@kelpie/sdk';
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import { useAddress } from '../../data/environment.ts';
import { useInvoice } from '../../data/reads.ts';
import { invoiceStatusLabels, leftToPay } from '../../format/invoice-labels.ts';
import { formatPounds } from '../../format/money.ts';
import { formatMonth } from '../../format/time.ts';
import { BackLink } from '../../ui/back-link.tsx';
import { buttonClassName } from '../../ui/button.tsx';
import { FileLink } from '../../ui/file-link.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Line, Rows } from '../../ui/skeleton.tsx';
import { Marked } from '../../ui/status.tsx';
import { InvoiceLines } from './invoice-lines.tsx';

export function Screen() {
  const id = useParams()['id'] ?? '';
  const invoice = useInvoice(id);
  if (invoice.data !== undefined) return <InvoicePage invoice={invoice.data} />;
  return (
    <Page title="Invoice" heading={invoice.isError ? 'Invoice' : <Line width="w-56" height="h-6" />}>
      {invoice.isError ? (
        <Problem
          error={invoice.error}
          title="The invoice could not be loaded."
          onRetry={() => void invoice.refetch()}
        />
      ) : (
        <Rows />
      )}
    </Page>
  );
}

function InvoicePage({ invoice }: { invoice: Invoice }) {
  const address = useAddress();
  const { id, number, period, issued_at: issuedAt, due_at: dueAt, voided_at: voidedAt } = invoice;
  const { label, mark } = invoiceStatusLabels(invoice);
  const left = leftToPay(invoice);
  return (
    <Page
      title={`Invoice for ${formatMonth(period)}`}
      heading={
        <span className="grid gap-2">
          <BackLink to={address('/invoices')}>Invoices</BackLink>
          <span>{formatMonth(period)}</span>
        </span>
      }
      action={
        <div className="flex gap-2">
          <FileLink className={buttonClassName('secondary')} href={`/v1/invoices/${id}/items?format=csv`}>
            <Icon name="download" />
            Download CSV
          </FileLink>
          <FileLink className={buttonClassName('primary')} href={`/v1/invoices/${id}.pdf`}>
            <Icon name="download" />
            Download PDF
          </FileLink>
        </div>
      }
    >
      <dl className="-mt-2 flex flex-wrap gap-x-8 gap-y-2">
        <Figure name="Invoice number">
          <span className="figures">{number}</span>
        </Figure>
        <Figure name="Status">
          <Marked mark={mark}>{label}</Marked>
        </Figure>
        {issuedAt !== null && (
          <Figure name="Issued">
            <Timestamp at={issuedAt} to="date" />
          </Figure>
        )}
        {dueAt !== null && (
          <Figure name="Due date">
            <Timestamp at={dueAt} to="date" />
          </Figure>
        )}
        <Figure name="Total">
          <span className="figures font-semibold">{formatPounds(invoice.total_gbp)}</span>
        </Figure>
        {invoice.paid_gbp !== '0.00' && left !== '0.00' && (
          <Figure name="Left to pay">
            <span className="figures font-semibold">{formatPounds(left)}</span>
          </Figure>
        )}
        {voidedAt !== null && (
          <Figure name="Voided">
            <Timestamp at={voidedAt} to="date" />
          </Figure>
        )}
      </dl>
      <Section title="Invoice lines">
        <InvoiceLines invoice={invoice} />
      </Section>
    </Page>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-0.5">
      <dt className="text-small text-muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
