/** The server writes a fresh one into every page it sends, and allows styles that carry it. */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ''

/** Where the part of Mantine that holds the page still under a dialog looks for it: it writes a style of its own. */
export const shareStyleNonce = (): void => void Object.assign(globalThis, { __webpack_nonce__: styleNonce() })
