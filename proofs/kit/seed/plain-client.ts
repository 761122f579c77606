/** A client as somebody would write it who has only the three calls on paper: plain HTTP, no library of ours. */
export interface PlainAnswer {
  status: number
  contentType: string
  body: Record<string, unknown>
}

export interface PlainClient {
  createJob(body: unknown): Promise<PlainAnswer>
  sendMessage(id: string, body: unknown): Promise<PlainAnswer>
  getJob(id: string): Promise<PlainAnswer>
  getViews(query?: Record<string, string | number>): Promise<PlainAnswer>
}

export function plainClient(baseUrl: string, projectId: string, apiKey: string | undefined): PlainClient {
  const ask = async (method: string, path: string, body?: unknown): Promise<PlainAnswer> => {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const contentType = answer.headers.get('content-type') ?? ''
    return { status: answer.status, contentType, body: (await answer.json()) as Record<string, unknown> }
  }
  const job = `/v2/agent/${projectId}/job`
  return {
    createJob: (body) => ask('POST', job, body),
    sendMessage: (id, body) => ask('POST', `${job}/${id}/message`, body),
    getJob: (id) => ask('GET', `${job}/${id}`),
    getViews: (query = {}) => {
      const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      const text = parameters.length === 0 ? '' : `?${parameters.join('&')}`
      return ask('GET', `/v1/analytics/${projectId}/views${text}`)
    },
  }
}

export const isOk = ({ status }: PlainAnswer): boolean => status >= 200 && status < 300
