/** The server writes a new nonce into every page. The content security policy allows styles that carry it. */
export const readStyleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ''

/** Mantine's scroll lock, which is active under dialogs, adds a style of its own and reads the nonce from here. */
export const exposeStyleNonce = (): void => void Object.assign(globalThis, { __webpack_nonce__: readStyleNonce() })
