package ugc.analysis;

import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.elasticsearch.plugin.NamedComponent;
import org.elasticsearch.plugin.analysis.TokenFilterFactory;

@NamedComponent("porter_stem")
public class PorterStemFilterFactory implements TokenFilterFactory {

    @Override
    public TokenStream create(TokenStream tokens) {
        return new PorterStemFilter(tokens);
    }
}
