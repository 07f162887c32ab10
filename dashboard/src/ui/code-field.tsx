import { Field } from './field.tsx';

const length = 6;

export function isWholeCode(code: string): boolean {
  return code.length === length;
}

interface CodeFieldProps {
  value: string;
  onChange: (code: string) => void;
  error?: string | undefined;
}

/** One field, so that a code can be pasted, or filled in by the phone that received the email. */
export function CodeField({ value, onChange, error }: CodeFieldProps) {
  return (
    <Field
      label="6-digit code"
      name="code"
      isRequired
      autoFocus
      value={value}
      onChange={(typed) => onChange(typed.replaceAll(/\D/g, '').slice(0, length))}
      error={error}
      inputMode="numeric"
      autoComplete="one-time-code"
      placeholder="000000"
      className="figures h-12 font-mono text-[1.25rem] tracking-[0.3em]"
    />
  );
}
