import { KelpieError, type ConfirmOptions } from '@kelpie/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { provenFirst } from './passkeys.ts';

interface Attempt<Input> {
  input: Input;
  code: string | undefined;
}

interface ConfirmedOptions<Input, Result> {
  /** Calls the API. With a code, it is the same call once more. */
  act: (input: Input, options: ConfirmOptions) => Promise<Result>;
  onSuccess?: (result: Result) => void;
  onSettled?: () => Promise<unknown>;
  gcTime?: number;
}

/** What the step that asks for the code needs. */
export interface Confirming {
  isPending: boolean;
  /** Whether a code was emailed that confirms it. */
  isCodeWanted: boolean;
  isCodeWrong: boolean;
  /** Why it failed, where that is not for the code. */
  error: Error | null;
  confirm: (code: string) => void;
  resend: () => void;
  reset: () => void;
}

interface Confirmed<Input, Result> extends Confirming {
  run: (input: Input) => void;
  isSuccess: boolean;
  data: Result | undefined;
}

const codeErrors: ReadonlySet<string> = new Set(['confirmation_required', 'invalid_confirm_code']);

function isAboutCode(error: Error | null): error is KelpieError {
  return error instanceof KelpieError && codeErrors.has(error.code);
}

/** An act that the API may want confirmed: it is then repeated as it was, with the emailed code. */
export function useConfirmed<Input, Result>(options: ConfirmedOptions<Input, Result>): Confirmed<Input, Result> {
  const { act, onSuccess, onSettled, gcTime } = options;
  const [asked, setAsked] = useState<{ input: Input; isWrong: boolean }>();
  const mutation = useMutation({
    mutationFn: async ({ input, code }: Attempt<Input>) => provenFirst(async () => act(input, { confirmCode: code })),
    // A code that was asked for, or was wrong, changed nothing.
    onSettled: async (_, error) => (isAboutCode(error) ? undefined : onSettled?.()),
    ...(gcTime === undefined ? {} : { gcTime }),
  });
  const attempt = (input: Input, code?: string): void => {
    if (mutation.isPending) return;
    // Passed here, they are not called once the person has closed the dialog.
    mutation.mutate(
      { input, code },
      {
        onSuccess: (result) => {
          setAsked(undefined);
          onSuccess?.(result);
        },
        onError: (error) => {
          if (isAboutCode(error)) setAsked({ input, isWrong: error.code === 'invalid_confirm_code' });
        },
      },
    );
  };
  const repeat = (code?: string): void => {
    if (asked !== undefined) attempt(asked.input, code);
  };
  return {
    run: (input) => attempt(input),
    confirm: repeat,
    resend: () => repeat(),
    reset() {
      setAsked(undefined);
      mutation.reset();
    },
    isPending: mutation.isPending,
    isSuccess: mutation.isSuccess,
    isCodeWanted: asked !== undefined,
    isCodeWrong: asked?.isWrong === true,
    error: isAboutCode(mutation.error) ? null : mutation.error,
    data: mutation.data,
  };
}
