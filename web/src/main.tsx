import { createClient } from '@colophon/sdk'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { HomePage } from './home-page.tsx'
import './styles.css'

const client = createClient({ baseUrl: window.location.origin, timeoutSeconds: 5 })
const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <HomePage client={client} />
  </StrictMode>,
)
