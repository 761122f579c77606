/** Pins the API version. GitHub keeps supporting it when newer versions change. */
export const createGithubHeaders = (token: string) => ({
  authorization: `Bearer ${token}`,
  accept: 'application/vnd.github+json',
  'x-github-api-version': '2022-11-28',
})
