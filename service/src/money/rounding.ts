/** The quotient of two amounts that are not negative, rounded as its name says. Money is never divided otherwise. */
export function divideHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

export function divideDown(dividend: bigint, divisor: bigint): bigint {
  return dividend / divisor;
}
