/** Hosts in links and images. */
const url = /(?<![\w/])(?:https?:)?\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d+)?(?=[/?#\s)>\]"'`,;]|$)/gi

/** The hosts that a text names, in lower case. */
export const findHosts = (text: string): Set<string> =>
  new Set([...text.matchAll(url)].map(([, host = '']) => host.toLowerCase()))
