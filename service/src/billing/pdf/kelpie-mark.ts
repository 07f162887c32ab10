/** One stroke that is a wave and a horse's neck: SVG path data in a square of 24. */
export const kelpieMark =
  'M2.5 18.5 C6.5 18.5 8 15.5 9 11.5 C10.2 6.6 13 3.6 16.4 4.2 C19.6 4.8 21.4 8 20.6 10.6 C18.4 9.2 15.6 9.8 14.6 12.6 C13.6 15.4 15.2 18.5 21.5 18.5';
