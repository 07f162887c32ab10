/** Something that a person should look at. */
export interface Matter {
  id: string;
  text: string;
  detail: string;
  to: string;
}
