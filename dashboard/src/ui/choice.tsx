import { useId, type ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { inputClassName } from './field.tsx';
import { Icon } from './icon.tsx';

interface Option<Value extends string> {
  value: Value;
  label: string;
}

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly Option<Value>[];
  onChange: (value: Value) => void;
  hint?: ReactNode;
  /** What is wrong with it, once it is. */
  error?: string | undefined;
  isHidden?: boolean;
}

/** One of a few: the browser's own list, which every phone and screen reader knows. */
export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, value, options, onChange, hint, error, isHidden } = props;
  const id = useId();
  return (
    <div className="grid min-w-0 gap-1.5">
      <label htmlFor={id} className={isHidden === true ? 'sr-only' : 'font-medium'}>
        {label}
      </label>
      <div className="relative">
        <select
          id={id}
          value={value}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={hint === undefined && error === undefined ? undefined : `${id}-note`}
          onChange={({ target }) => {
            const chosen = options.find((option) => option.value === target.value);
            if (chosen !== undefined) onChange(chosen.value);
          }}
          className={classNames(inputClassName, 'appearance-none pr-9', error !== undefined && 'border-failed')}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
        <span className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-muted">
          <Icon name="down" size={14} />
        </span>
      </div>
      {(error !== undefined || hint !== undefined) && (
        <p id={`${id}-note`} className={classNames('text-small', error === undefined ? 'text-muted' : 'text-failed')}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}
