// The driver's own reader of instants knows every form that there is, and is a good part of what a list costs. We have the
// server write them all in one.

export const inUtc = '-c timezone=UTC -c datestyle=ISO';

const form = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$/;

export function readInstant(text: string): Date {
  // Infinity, or a time before Christ: none of our columns that are read hold one.
  if (!form.test(text)) throw new Error('an instant of a form that we do not have');
  return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
}
