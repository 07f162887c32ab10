// Who sends invoices: the api draws them for whoever downloads one, the worker attaches them to emails.
import type { InvoiceIssuer } from '../../billing/index.ts';
import { settings, type Setting } from '../../platform/configuration/settings.ts';

export function chooseIssuer(get: <Value>(setting: Setting<Value>) => Value): InvoiceIssuer {
  const [name = '', ...details] = get(settings.invoiceFrom);
  return { name, details, payTo: get(settings.invoicePayTo) };
}
