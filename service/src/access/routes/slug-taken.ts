/** No secret: anybody can look a business up by its short name. */
export const slugTaken = {
  code: 'slug_taken',
  message: 'Another business uses this short name. Choose another.',
} as const;
