/** Ends of addresses that mail programs turn into links, also without `https://` before them. */
const ends =
  'com|net|org|info|biz|co|io|ai|me|app|dev|xyz|online|site|website|shop|store|link|click|top|club|live|page|help|support|cloud|email|pay|bank|money|finance|example|test|gov|edu|eu|uk|ie|us|ca|de|fr|nl|es|it|pl|ru|cn|in|tk|cc|tv|ly|gg|to|su|pw';
const link = new RegExp(
  String.raw`://|\bwww\.|[\p{L}\p{N}]@[\p{L}\p{N}]|[\p{L}\p{N}-]{2,}\.(?:${ends})(?![\p{L}\p{N}-])|[\p{L}\p{N}-]\.[\p{L}]{2,}/`,
  'iu',
);
/** With the country's code or a zero before it, or longer than years side by side. */
const phone = /(?:\+|(?<!\d)0)(?:[\s().\-/]*\d){6}|\d(?:[\s().\-/]*\d){8}/;

/**
 * Whether a name of at most 120 characters is only a name. We write names into emails to people who did not ask for them: a link or a number to call
 * would be read as ours.
 */
export function isPlainName(name: string): boolean {
  // Full-width digits and dots read, and are dialled, as the usual ones.
  const text = name.normalize('NFKC').replaceAll('。', '.');
  return !link.test(text) && !phone.test(text);
}
