const maxCharacters = 60

/** So that a long name leaves the rest of the subject of an email visible. */
export const shortenForSubject = (name: string): string =>
  name.length > maxCharacters ? `${name.slice(0, maxCharacters - 1).toWellFormed()}…` : name
