/** No secret: anybody can look a business up by its short name. */
export const slugTaken = {
  code: 'slug_taken',
  message: 'Another business uses this short name. Choose another.',
} as const;

export const slugReserved = {
  code: 'slug_taken',
  message: 'This short name is reserved. Choose another.',
} as const;
