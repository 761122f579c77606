export type GithubConnection = {
  /** The URL of the website, without a trailing slash: `https://github.com`, or that of a GitHub Enterprise Server. */
  baseUrl: string
  owner: string
  name: string
  /** Does not change when the repository is renamed. Null: not known yet, only the name is. */
  repositoryId: number | null
  access:
    | { kind: 'token'; token: string }
    | { kind: 'installation'; appId: number; privateKeyPem: string; installationId: number }
}
