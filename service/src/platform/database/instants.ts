// The driver's own reader of instants knows every form that there is, and is a good part of what a list costs. We have the
// server write them all in one.

export const inUtc = '-c timezone=UTC -c datestyle=ISO';

const form = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$/;

/** Whether it is an instant as we have the server write it. Infinity is not, nor is a time before Christ. */
export function isInstant(text: string): boolean {
  return form.test(text);
}

export function readInstant(text: string): Date {
  return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
}
