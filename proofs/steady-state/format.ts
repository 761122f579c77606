/** Numbers as the figures show them. */
const megabyte = 1024 * 1024

export const formatMegabytes = (bytes: number): string =>
  bytes < 10 * megabyte ? `${(bytes / megabyte).toFixed(1)} MB` : `${(bytes / megabyte).toFixed(0)} MB`

export const formatCount = (count: number): string => count.toLocaleString('en-US')

export const formatMs = (ms: number): string => `${ms.toFixed(ms < 10 ? 1 : 0)} ms`
