/** As people write them: by line, comma or space. What is a network is the server's to say. */
export const networksIn = (text: string): string[] => text.split(/[\s,]+/).filter((network) => network !== '')
