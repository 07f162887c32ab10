/**
 * What the examples of the reference have in common, so that they tell one story: Harbour Goods pays Grace Hopper 850.00
 * pounds. An id is a UUIDv7, and the instant inside it is the `created_at` that an example shows.
 */
export const exampleValues = {
  partnerId: '01a05bfb-7000-7b1f-8a44-2c9e5d7f1b36',
  business: 'Harbour Goods Ltd',
  slug: 'harbour-goods',
  adminEmail: 'ada@harbourgoods.example',
  viewerEmail: 'alan@harbourgoods.example',
  payoutId: '01a1e3b1-25c0-7c3a-9d2e-4f6b8a1c0e57',
  payoutRequestId: '01a1e3b1-25c0-7b52-8e19-3d7c5a90f4b2',
  idempotencyKey: 'order-10045',
  reference: 'Order 10045',
  eventId: '01a1e3b1-25d4-7c3e-b5d1-0f4a9e6b2d71',
  webhookId: '01a1e3b1-25c0-7d17-a3c8-5e90b1f2d648',
  webhookSecret: 'whsec_a2VscGllIGV4YW1wbGUgb2YgYSB3ZWJob29rIGtleSE=',
  keyId: '01a05c00-03e0-7d5c-b0e1-6a2f9c4d8e13',
  keyPrefix: 'kp_sandbox_4f9c2a71',
  requestId: '01a1e3b1-25be-7e02-8c61-b5d49a7f2e80',
  freezeToken:
    'bjQLnP-zepicpUTmu3gKLHiQHT-zNzh2hRGjBhevoB1L9RIvNEVUxTveLruM0rfj0WAK1jHDhaXXzOI8d4VFmtvBtMkA_-SNV1tdpcY4BAEl9l2w_j4kSUt26phkV9mG',
  createdAt: '2026-11-16T09:30:00.000Z',
  updatedAt: '2026-11-16T09:30:04.000Z',
} as const;
