import { UsageError } from './target.mjs';

/** A logged-in session: the REST calls that the commands are made of. */
export class Cloud {
  constructor(http, target, options) {
    this.http = http;
    this.target = target;
    this.options = options;
  }

  /** A new token; resolves to the response. */
  async login() {
    const { authUrl, username, password, project, userDomain, projectDomain } = this.target;
    const user = { name: username, password, domain: { name: userDomain } };
    const scope = { project: { name: project, domain: { name: projectDomain } } };
    const answer = await this.http.request('POST', `${authUrl}/auth/tokens`, {
      body: { auth: { identity: { methods: ['password'], password: { user } }, scope } },
    });
    this.token = answer.headers['x-subject-token'];
    const { token } = answer.json();
    this.catalog = token.catalog ?? [];
    this.userId = token.user.id;
    this.projectId = token.project.id;
    return answer;
  }

  endpoint(type, given) {
    if (given) return given.replace(/\/+$/, '');
    const { region } = this.target;
    const service = this.catalog.find((entry) => entry.type === type);
    const found = service?.endpoints.find(
      (e) => e.interface === 'public' && (!region || (e.region_id ?? e.region) === region),
    );
    if (!found) throw new UsageError(`the catalog has no public endpoint of type ${type}`);
    return found.url.replace(/\/+$/, '');
  }

  compute(method, path, body, allow) {
    const version = this.options.computeVersion;
    const headers = {
      'x-auth-token': this.token,
      'openstack-api-version': `compute ${version}`,
      'x-openstack-nova-api-version': version,
    };
    return this.http.request(method, this.endpoint('compute', this.target.computeUrl) + path, { body, headers, allow });
  }

  placement(method, path, body, allow) {
    const headers = {
      'x-auth-token': this.token,
      'openstack-api-version': `placement ${this.options.placementVersion}`,
    };
    return this.http.request(method, this.endpoint('placement', this.target.placementUrl) + path, {
      body,
      headers,
      allow,
    });
  }

  /** The body of POST /servers without its name. */
  async serverTemplate() {
    const flavors = (await this.compute('GET', '/flavors')).json().flavors;
    const flavor = flavors.find((f) => f.name === this.options.flavor || f.id === this.options.flavor);
    if (!flavor)
      throw new UsageError(`no flavor ${this.options.flavor}; there are ${flavors.map((f) => f.name).join(', ')}`);
    const { network } = this.options;
    const networks = network === 'none' || network === 'auto' ? network : [{ uuid: network }];
    return { flavorRef: flavor.id, imageRef: await this.imageId(), networks };
  }

  /** The image named by --image (name or id), else the first active one. */
  async imageId() {
    const base = this.endpoint('image', this.target.imageUrl).replace(/\/v2$/, '');
    const headers = { 'x-auth-token': this.token };
    const { images } = (
      await this.http.request('GET', `${base}/v2/images?status=active&limit=100`, { headers })
    ).json();
    const { image } = this.options;
    const found = image ? images.find((i) => i.name === image || i.id === image) : images[0];
    if (!found) throw new UsageError(image ? `no active image ${image}` : 'there is no active image');
    return found.id;
  }

  /** Every server of the project, page by page. */
  async servers(query = '') {
    const all = [];
    for (let marker = ''; ;) {
      const page = (await this.compute('GET', `/servers?limit=1000${query}${marker}`)).json().servers;
      all.push(...page);
      if (page.length < 1000) return all;
      marker = `&marker=${page[page.length - 1].id}`;
    }
  }
}
