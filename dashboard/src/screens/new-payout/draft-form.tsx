import type { Quote } from '@kelpie/sdk';
import { useState, type ReactNode } from 'react';
import type { PayAgain } from '../../data/pay-again.ts';
import { bankReference } from '../../format/bank-reference.ts';
import { formatPounds, formatUsdc } from '../../format/money.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Field, type FieldProps } from '../../ui/field.tsx';
import {
  mistakesOf,
  progressOf,
  shapeAccountNumber,
  shapeSortCode,
  type Draft,
  type DraftField,
  type Limits,
  type Mistakes,
} from './order.ts';

interface DraftFormProps {
  draft: Draft;
  limits: Limits | undefined;
  again: PayAgain | undefined;
  /** Errors that the API found. */
  said: Mistakes;
  /** The quote, once it is known. */
  quote: Quote | undefined;
  onChange: (changed: Partial<Draft>) => void;
  onReview: () => void;
}

type BindField = (field: Exclude<DraftField, 'type'>, shape?: (typed: string) => string) => BoundField;
type BoundField = Pick<FieldProps, 'value' | 'onChange' | 'onBlur' | 'error' | 'name'>;

/** A field shows its error once it was left, or once the form was submitted. */
interface Fields {
  bind: BindField;
  /** The error of the recipient type, once the form was submitted. */
  typeMistake: string | undefined;
  showAll: () => boolean;
}

function useFields({ draft, limits, said, onChange }: DraftFormProps): Fields {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isAll, setAll] = useState(false);
  const mistakes = mistakesOf(draft, limits);
  return {
    bind: (field, shape) => ({
      name: field,
      value: draft[field],
      onChange: (typed) => onChange({ [field]: shape === undefined ? typed : shape(typed) }),
      onBlur: () => draft[field] !== '' && setLeft(new Set([...left, field])),
      error: isAll || left.has(field) ? (mistakes[field] ?? said[field]) : said[field],
    }),
    typeMistake: isAll ? mistakes.type : undefined,
    showAll() {
      setAll(true);
      return Object.keys(mistakes).length === 0;
    },
  };
}

export function DraftForm(props: DraftFormProps) {
  const { draft, limits, again, quote, onChange, onReview } = props;
  const { bind, typeMistake, showAll } = useFields(props);
  return (
    <form
      noValidate
      className="grid min-w-0 content-start gap-8"
      onSubmit={(event) => {
        event.preventDefault();
        if (showAll()) onReview();
        else focusFirstMistake(event.currentTarget);
      }}
    >
      <Group title="Amount">
        <Field
          {...bind('amount')}
          label="Recipient receives"
          isRequired
          autoFocus
          prefix="£"
          inputMode="decimal"
          autoComplete="off"
          placeholder="0.00"
          className="figures h-12 text-[1.25rem] font-semibold"
          hint={<AmountHint quote={quote} limits={limits} />}
        />
        <Field
          {...bind('reference')}
          label="Reference"
          autoComplete="off"
          hint={<ReferenceHint reference={draft.reference} />}
        />
      </Group>
      <RecipientFields draft={draft} bind={bind} typeMistake={typeMistake} onChange={onChange} />
      <AccountFields draft={draft} bind={bind} again={again} />
      <AddressFields bind={bind} />
      <div className="flex justify-end">
        <Button kind="primary" type="submit">
          Review payout
        </Button>
      </div>
    </form>
  );
}

/** The invalid field is marked with the next paint. */
function focusFirstMistake(form: HTMLFormElement): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('select[aria-invalid], [data-invalid] input')?.focus());
}

/** The limits, and on a phone the cost too: there the quote is below the form. */
function AmountHint({ quote, limits }: { quote: Quote | undefined; limits: Limits | undefined }) {
  return (
    <>
      {quote !== undefined && (
        <span className="figures lg:hidden">
          Fee {formatPounds(quote.fee_gbp)} · {formatUsdc(quote.wallet_sends_usdc)} from the wallet
        </span>
      )}
      {limits !== undefined && (
        <span className={quote === undefined ? 'figures' : 'figures max-lg:hidden'}>
          {formatPounds(limits.min)} to {formatPounds(limits.max_per_payout)}
        </span>
      )}
    </>
  );
}

function ReferenceHint({ reference }: { reference: string }) {
  const seen = bankReference(reference);
  if (reference.trim() === '') return 'Leave blank and we use a reference like KP3F9A21C7.';
  if (seen === undefined) return "Banks can't show these characters. We use a reference like KP3F9A21C7 instead.";
  return (
    <>
      The recipient sees <span className="font-mono text-ink">{seen}</span>
      {seen !== reference.trim() && '. Banks show at most 18 characters and leave some symbols out.'}
    </>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="grid min-w-0 gap-4">
      <legend className="mb-3 flex min-h-7 items-center font-semibold">{title}</legend>
      {children}
    </fieldset>
  );
}

interface FieldsProps {
  draft: Draft;
  bind: BindField;
}

interface RecipientFieldsProps extends FieldsProps, Pick<DraftFormProps, 'onChange'> {
  typeMistake: string | undefined;
}

const types = [
  { value: 'individual', label: 'Person' },
  { value: 'business', label: 'Business' },
] as const;

function RecipientFields({ draft, bind, typeMistake, onChange }: RecipientFieldsProps) {
  const isBusiness = draft.type === 'business';
  return (
    <Group title="Recipient">
      <Choice
        label="Recipient type"
        value={draft.type}
        options={draft.type === '' ? [{ value: '', label: 'Choose a type' }, ...types] : types}
        hint={
          draft.type === ''
            ? 'Choose the same type as last time. The bank treats the two as different recipients.'
            : undefined
        }
        error={typeMistake}
        onChange={(type) => onChange({ type })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          {...bind('firstName')}
          label={isBusiness ? 'Business name' : 'First name'}
          isRequired
          autoComplete="off"
        />
        <Field
          {...bind('lastName')}
          label={isBusiness ? 'Legal form (such as Ltd)' : 'Last name'}
          isRequired
          autoComplete="off"
        />
      </div>
    </Group>
  );
}

function AddressFields({ bind }: Pick<FieldsProps, 'bind'>) {
  return (
    <Group title="Address">
      <Field {...bind('line1')} label="Street address" isRequired autoComplete="off" />
      <Field {...bind('line2')} label="Flat or building" autoComplete="off" />
      <div className="grid gap-4 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Field {...bind('city')} label="Town or city" isRequired autoComplete="off" />
        <Field {...bind('postalCode')} label="Postcode" isRequired autoComplete="off" />
      </div>
      <Field {...bind('email')} label="Email" type="email" autoComplete="off" />
    </Group>
  );
}

function AccountFields({ draft, bind, again }: FieldsProps & Pick<DraftFormProps, 'again'>) {
  const isOther =
    again !== undefined && draft.accountNumber.length === 8 && !draft.accountNumber.endsWith(again.accountLast4);
  return (
    <Group title="Bank account">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          {...bind('sortCode', shapeSortCode)}
          label="Sort code"
          isRequired
          inputMode="numeric"
          autoComplete="off"
          placeholder="00-00-00"
          className="figures"
          hint={progressOf('sortCode', draft.sortCode)}
          isRight={draft.sortCode !== '' && progressOf('sortCode', draft.sortCode) === undefined}
        />
        <Field
          {...bind('accountNumber', shapeAccountNumber)}
          label="Account number"
          isRequired
          inputMode="numeric"
          autoComplete="off"
          placeholder="00000000"
          className="figures"
          isRight={draft.accountNumber !== '' && progressOf('accountNumber', draft.accountNumber) === undefined}
          hint={
            progressOf('accountNumber', draft.accountNumber) ??
            (again === undefined
              ? undefined
              : `Last time it ended in ${again.accountLast4}. We don't show full numbers.`)
          }
        />
      </div>
      {isOther && (
        <p role="alert" className="rounded-md bg-returned-wash p-3 text-returned">
          This is not the account that you last paid <bdi>{again.name}</bdi> at. Check it with the recipient.
        </p>
      )}
      <Field {...bind('bankName')} label="Bank name" isRequired autoComplete="off" />
    </Group>
  );
}
