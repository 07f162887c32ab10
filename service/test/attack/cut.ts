/** Passages of a file, and what stands in their place. Each must be there once, so that a hole follows the code. */
export interface Cut {
  /** From the root of the project. */
  file: string;
  edits: readonly (readonly [from: string, to: string])[];
}

export function cut({ file, edits }: Cut, text: string): string {
  return edits.reduce((before, [from, to]) => {
    if (before.split(from).length !== 2) throw new Error(`${file} has to contain once: ${from}`);
    return before.replace(from, () => to);
  }, text);
}
