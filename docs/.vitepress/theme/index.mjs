import theme from 'vitepress/theme-without-fonts';
import '../../../web/src/ui/tokens.css';
import '../../../web/src/ui/typeface.css';
import TryIt from './components/TryIt.vue';
import './style.css';
import './components/reference.css';
import './home.css';

// biome-ignore lint/style/noDefaultExport: the tool asks for it
export default {
  extends: theme,
  enhanceApp: ({ app }) => app.component('TryIt', TryIt),
};
