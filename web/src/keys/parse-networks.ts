/** Splits at line breaks, commas and spaces. The server validates the networks. */
export const parseNetworks = (text: string): string[] => text.split(/[\s,]+/).filter((network) => network !== '')
