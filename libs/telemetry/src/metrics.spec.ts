import { createMetrics } from './index';

describe('createMetrics', () => {
  it('hands out one metric a name, and refuses other labels', () => {
    const metrics = createMetrics();
    const boots = metrics.counter('boots_total', 'Boots', ['host']);
    expect(metrics.counter('boots_total', 'Boots', ['host'])).toBe(boots);
    expect(() => metrics.counter('boots_total', 'Boots', ['zone'])).toThrow(/already exists with labels \[host\]/);
  });

  it('renders what was counted', async () => {
    const metrics = createMetrics();
    metrics.counter('boots_total', 'Boots', ['host']).labels('h1').inc(2);
    metrics.gauge('hosts', 'Hosts', [], function () {
      this.set(7);
    });
    metrics.rpc({ side: 'server', method: 'compute.build', outcome: 'ok' }, 0.02);
    metrics.httpCalled({ service: 'api', peer: 'image', method: 'GET', status: 'error' }, 0.2);
    const { body, contentType } = await metrics.render();
    expect(contentType).toMatch(/^text\/plain/);
    expect(body).toContain('boots_total{host="h1"} 2');
    expect(body).toContain('hosts 7');
    expect(body).toContain('fractus_rpc_seconds_count{side="server",method="compute.build",outcome="ok"} 1');
    expect(body).toContain('peer="image",method="GET",status="error"} 1');
  });

  it('keeps registries apart', async () => {
    const [a, b] = [createMetrics(), createMetrics()];
    a.counter('only_a_total', 'A').inc();
    expect((await b.render()).body).not.toContain('only_a_total');
  });
});
