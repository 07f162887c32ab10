import type { ReactNode } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextField as AriaTextField } from 'react-aria-components/TextField';
import { classNames } from './class-names.ts';
import { Icon } from './icon.tsx';

export const inputClassName =
  'h-10 w-full min-w-0 rounded-md border border-line-strong bg-surface px-3 text-ink outline-offset-0 placeholder:text-muted data-[invalid]:border-failed';

export interface FieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** What is wrong with it, once it is. */
  error?: string | undefined;
  hint?: ReactNode;
  name?: string;
  type?: 'text' | 'email' | 'url' | 'search';
  inputMode?: 'numeric' | 'decimal' | 'text' | 'email' | 'url';
  autoComplete?: string;
  maxLength?: number;
  isRequired?: boolean;
  isDisabled?: boolean;
  autoFocus?: boolean;
  placeholder?: string;
  onBlur?: () => void;
  /** Beside the text, within the field. */
  prefix?: string;
  /** Whether it is whole and right: marked as it is typed. */
  isRight?: boolean;
  className?: string;
}

export function Field(props: FieldProps) {
  const { label, error, hint, prefix, className, placeholder, isRight = false, isRequired = false, ...rest } = props;
  return (
    <AriaTextField
      {...rest}
      isRequired={isRequired}
      validationBehavior="aria"
      isInvalid={error !== undefined}
      className="grid min-w-0 content-start gap-1.5"
    >
      <Label className="font-medium">
        {label}
        {!isRequired && <span className="font-normal text-muted"> (optional)</span>}
      </Label>
      <div className="relative">
        {prefix !== undefined && (
          <span
            aria-hidden="true"
            className="pointer-events-none absolute inset-y-0 left-3 flex items-center text-muted"
          >
            {prefix}
          </span>
        )}
        <Input
          placeholder={placeholder ?? ''}
          className={classNames(inputClassName, prefix !== undefined && 'pl-7', className)}
        />
        {isRight && error === undefined && (
          <span className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-completed">
            <Icon name="check" />
          </span>
        )}
      </div>
      {hint !== undefined && error === undefined && (
        <Text slot="description" className="text-small text-muted">
          {hint}
        </Text>
      )}
      <FieldError className="text-small text-failed">{error}</FieldError>
    </AriaTextField>
  );
}
