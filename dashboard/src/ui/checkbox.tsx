import { useId, type ReactNode } from 'react';

interface CheckboxProps {
  label: string;
  hint?: ReactNode;
  isChecked: boolean;
  isDisabled?: boolean;
  onChange: (isChecked: boolean) => void;
}

export function Checkbox({ label, hint, isChecked, isDisabled = false, onChange }: CheckboxProps) {
  const id = useId();
  return (
    <div className="grid grid-cols-[1.25rem_minmax(0,1fr)] items-start gap-x-3 gap-y-0.5">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ target }) => onChange(target.checked)}
        className="mt-0.5 size-5 cursor-pointer accent-tide disabled:cursor-default"
      />
      <label htmlFor={id} className="cursor-pointer font-medium">
        {label}
      </label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="col-start-2 text-small text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}
