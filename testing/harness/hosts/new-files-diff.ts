/** The diff that git prints for new files, without the lines that name objects. */
export function diffOfNewFiles(files: Readonly<Record<string, string>>): string {
  return Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, contents]) => {
      const lines = contents.replace(/\n$/, '').split('\n')
      const head = [`diff --git a/${path} b/${path}`, 'new file mode 100644', '--- /dev/null', `+++ b/${path}`]
      const range = lines.length === 1 ? '@@ -0,0 +1 @@' : `@@ -0,0 +1,${lines.length} @@`
      return [...head, range, ...lines.map((line) => `+${line}`), ''].join('\n')
    })
    .join('')
}

export const stripObjectIds = (diff: string): string => diff.replace(/^index .*\n/gm, '')
