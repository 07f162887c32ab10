import { formatPounds, type Pence } from '../../money/amounts.ts';

/** As in "£12,345.00". */
export function showPounds(amount: Pence): string {
  return `£${formatPounds(amount).replaceAll(/\B(?=(\d{3})+\.)/g, ',')}`;
}
